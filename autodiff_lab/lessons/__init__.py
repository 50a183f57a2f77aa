"""The lessons: the exercises of each notebook, and the framework that checks them.

A notebook begins with ``from autodiff_lab.lessons import tape as check``. Every exercise is then a name of that
module: ``check.ex_1(answer)`` checks an answer, ``check.ex_1.hint()`` shows one more hint each time, and
``check.ex_1.solution()`` shows a solution after an attempt. ``check.progress()`` shows what is done, and
``check.seed("Ada")`` gives a learner their own numbers.

The package of a notebook is called by its slug, as `tape` is. It contains

- ``exercises.toml``, the words: what each exercise expects, its hints, and the wrong answers it recognises;
- ``__init__.py``, a table of the functions that belong to each exercise;
- ``exercises.py``, these functions: they run a learner's answer, compute the right one, and draw a learner's numbers;
- ``answers.toml``, right and wrong answers for the tests, as a class would hand them in.

`checks` is the framework: it defines what an exercise is, reads its file, runs an answer and compares the results, and
stores the progress. `examples` has functions and small machines that lessons share with the labs.
"""
