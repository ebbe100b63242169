def linspace_0_8(start: number, end: number, steps: Optional[int]=None) -> Tensor:
  if steps is None:
    return torch.linspace(start, end, 100)
  return torch.linspace(start, end, steps)
