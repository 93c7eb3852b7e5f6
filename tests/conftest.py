"""One profile for all property tests: bounded, repeatable, not timed."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "coactor",
    max_examples=30,
    deadline=None,  # the first call of a kernel compiles it
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("coactor")
