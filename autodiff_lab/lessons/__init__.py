"""The checks behind the exercises: one module per notebook.

A notebook begins with ``from autodiff_lab.lessons import lesson_03 as check``. Every exercise is then a name of that
module: ``check.ex_03_1(answer)`` looks at an answer, ``check.ex_03_1.hint()`` gives one hint more each time it is
asked, and ``check.ex_03_1.solution()`` shows worked code after an attempt.

``check.progress()`` shows what is done, and ``check.seed("Ada")`` gives a learner numbers of their own.

`exercise` has the frame (what an exercise is, how an answer is compared), `instances` makes one exercise
many, `running` runs a learner's own code safely, `progress` keeps what was done, `course` shows it, and every
``lesson_NN`` declares the exercises of one notebook.
"""
