"""The reviewer app: a question, an answer, its evidence, and labels by keyboard. Nothing that could bias a label."""
