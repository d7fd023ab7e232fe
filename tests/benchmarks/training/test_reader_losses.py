"""The losses of the reader's training: passages of a question compared, and what a teacher says."""

import pytest

pytest.importorskip("torch", reason="needs the extra `train`")

import torch

from benchmarks.training.reader.losses import compared_loss, distillation_loss
from benchmarks.training.reader.model import Logits


def _loss(other_logit: float, *, same_question: bool) -> float:
    logits = torch.zeros(2, 4)
    logits[0, 2] = 5.0
    logits[1, 3] = other_logit
    return float(compared_loss(logits, torch.tensor([2, 0]), torch.tensor([0, 0 if same_question else 1])))


def test_a_passage_that_does_not_answer_costs_what_it_promises() -> None:
    assert _loss(8.0, same_question=True) > _loss(2.0, same_question=True) > _loss(2.0, same_question=False) > 0
    assert _loss(8.0, same_question=False) == _loss(2.0, same_question=False)


def test_without_any_answer_nothing_is_compared() -> None:
    none = torch.zeros(2, dtype=torch.int64)
    assert float(compared_loss(torch.zeros(2, 4), none, none)) == 0.0


def _logits(seed: int) -> Logits:
    generator = torch.Generator().manual_seed(seed)
    return Logits(*(torch.randn(shape, generator=generator, dtype=torch.float64) for shape in ((3, 7), (3, 7), (3,))))


def test_no_student_is_nearer_to_a_teacher_than_the_teacher_itself() -> None:
    teacher = _logits(0)
    least = float(distillation_loss(teacher, teacher))
    assert all(float(distillation_loss(_logits(seed), teacher)) > least for seed in range(1, 20))


def test_a_student_that_follows_the_gradient_becomes_the_teacher() -> None:
    teacher = _logits(0)
    student = Logits(*(torch.zeros_like(logits, requires_grad=True) for logits in teacher))
    optimizer = torch.optim.Adam(student, lr=0.1)
    for _ in range(300):
        optimizer.zero_grad()
        distillation_loss(student, teacher).backward()
        optimizer.step()
    assert torch.allclose(student.start.softmax(dim=1), teacher.start.softmax(dim=1), atol=1e-3)
    assert torch.allclose(student.end.softmax(dim=1), teacher.end.softmax(dim=1), atol=1e-3)
    assert torch.allclose(student.answerable, teacher.answerable, atol=1e-2)


def test_where_a_teacher_cannot_decide_between_two_places_both_are_learnt() -> None:
    teacher = Logits(torch.tensor([[0.0, 9.0, 9.0]]), torch.tensor([[0.0, 0.0, 9.0]]), torch.tensor([4.0]))
    one = Logits(torch.tensor([[0.0, 18.0, 0.0]]), teacher.end, teacher.answerable)
    both = Logits(torch.tensor([[0.0, 8.0, 8.0]]), teacher.end, teacher.answerable)
    assert float(distillation_loss(both, teacher)) < float(distillation_loss(one, teacher))
