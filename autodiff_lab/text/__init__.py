"""Text that learners read: messages and their catalogue, numbers, notation, tables, errors for wrong arguments."""
