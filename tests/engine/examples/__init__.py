"""Programs of the kinds that people differentiate, each with the NumPy module as its first parameter.

A file has `loss(np, parameters)` and `PARAMETERS`, a dict of arrays. To add one, add a file and name it here.
"""

from . import bayesian_net, fluid, gaussian_process, hidden_markov, lstm, mixture, ode_net

EXAMPLES = {
    module.__name__.rpartition(".")[2]: module
    for module in (bayesian_net, fluid, gaussian_process, hidden_markov, lstm, mixture, ode_net)
}
