"""What was learned, in words and numbers: words.py of one learner, agreement.py of several people."""

from coactor.explanations.agreement import PeopleView, PersonView, compare_people
from coactor.explanations.words import Belief, Known, beliefs, lesson

__all__ = ["Belief", "Known", "PeopleView", "PersonView", "beliefs", "compare_people", "lesson"]
