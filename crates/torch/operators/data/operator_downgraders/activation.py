# Activations. Up to 1.11 gelu had one way to compute it; others came between 1.5 and 1.9.

def gelu_to_1_11(self: Tensor, *, approximate: str='none') -> Tensor:
  if approximate == 'tanh':
    inner = torch.mul(torch.add(self, torch.mul(torch.mul(torch.mul(self, self), self), 0.044715)), 0.7978845608028654)
    return torch.mul(torch.mul(self, 0.5), torch.add(torch.tanh(inner), 1.0))
  return torch.gelu(self)

def hardsigmoid_to_1_4(self: Tensor) -> Tensor:
  return torch.div(torch.clamp(torch.add(self, 3), 0, 6), 6)

def hardsigmoid__to_1_4(self: Tensor) -> Tensor:
  return self.copy_(torch.div(torch.clamp(torch.add(self, 3), 0, 6), 6))

def hardswish_to_1_5(self: Tensor) -> Tensor:
  return torch.mul(self, torch.div(torch.clamp(torch.add(self, 3), 0, 6), 6))

def hardswish__to_1_5(self: Tensor) -> Tensor:
  return self.copy_(torch.mul(self, torch.div(torch.clamp(torch.add(self, 3), 0, 6), 6)))

def silu_to_1_6(self: Tensor) -> Tensor:
  return torch.mul(self, torch.sigmoid(self))

def silu__to_1_6(self: Tensor) -> Tensor:
  return self.mul_(torch.sigmoid(self))

def mish_to_1_8(self: Tensor) -> Tensor:
  return torch.mul(self, torch.tanh(torch.softplus(self)))

def mish__to_1_8(self: Tensor) -> Tensor:
  return self.mul_(torch.tanh(torch.softplus(self)))

def relu6_to_1_8(self: Tensor) -> Tensor:
  return torch.hardtanh(self, 0, 6)

def relu6__to_1_8(self: Tensor) -> Tensor:
  return torch.hardtanh_(self, 0, 6)
