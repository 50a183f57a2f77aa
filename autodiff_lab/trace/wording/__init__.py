"""The wording of a step: as a sentence, as an equation in numbers, and as one in symbols."""
