"""The package of the lab BallThrow: a ball is thrown at a target, and a slope says how to aim."""
