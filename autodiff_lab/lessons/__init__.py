"""The lessons: for each notebook a package ``lesson_NN`` with its exercises, and their common framework, `checks`.

A notebook begins with ``from autodiff_lab.lessons import tape as check``. Every exercise is then a name of that
module: ``check.ex_1(answer)`` looks at an answer, ``check.ex_1.hint()`` gives one hint more each time it is
asked, and ``check.ex_1.solution()`` shows worked code after an attempt.

``check.progress()`` shows what is done, and ``check.seed("Ada")`` gives a learner numbers of their own.

`checks` has what all lessons share: what an exercise is, how its file is read, how an answer is run and compared,
numbers of one's own, and what is remembered. In a package ``lesson_NN`` the file ``exercises.toml`` has the words of
the exercises, their hints, and the wrong answers they know; ``__init__`` is the table of what is computed for each;
`exercises` has the functions that do so, each under its exercise's number: they run what a learner wrote, say what is
right, and make an exercise with numbers of one's own. ``answers.toml`` has what a class hands in.

`examples` has the functions and small machines that lessons share with the labs.
"""
