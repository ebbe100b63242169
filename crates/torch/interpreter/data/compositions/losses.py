# Losses: how far apart two tensors are.

def reduced(loss, reduction):
  if reduction == 1:
    return torch.mean(loss)
  if reduction == 2:
    return torch.sum(loss)
  return loss

# aten::poisson_nll_loss(Tensor input, Tensor target, bool log_input, bool full, float eps, int reduction) -> Tensor
def poisson_nll_loss(input, target, log_input, full, eps, reduction):
  if log_input:
    loss = torch.exp(input) - target * input
  else:
    loss = input - target * torch.log(input + eps)
  if full:
    stirling = target * torch.log(target) - target + torch.log(target * 6.283185307179586) * 0.5
    loss = loss + stirling.masked_fill(target <= 1, 0)
  return __torch__.reduced(loss, reduction)

# aten::margin_ranking_loss(Tensor input1, Tensor input2, Tensor target, float margin=0., int reduction=1) -> Tensor
def margin_ranking_loss(input1, input2, target, margin, reduction):
  return __torch__.reduced((torch.neg(target) * (input1 - input2) + margin).clamp_min(0), reduction)

# aten::soft_margin_loss(Tensor self, Tensor target, int reduction=1) -> Tensor
def soft_margin_loss(self, target, reduction):
  return __torch__.reduced(torch.log1p(torch.exp(torch.neg(target) * self)), reduction)

# aten::hinge_embedding_loss(Tensor self, Tensor target, float margin=1., int reduction=1) -> Tensor
def hinge_embedding_loss(self, target, margin, reduction):
  none = torch.zeros_like(self)
  apart = torch.where(target != 1, (margin - self).clamp_min(0), none)
  return __torch__.reduced(apart + torch.where(target != -1, self, none), reduction)

# aten::cosine_embedding_loss(Tensor input1, Tensor input2, Tensor target, float margin=0., int reduction=1) -> Tensor
def cosine_embedding_loss(input1, input2, target, margin, reduction):
  a = __torch__.floated(input1)
  b = __torch__.floated(input2)
  dim = target.dim()
  products = torch.sum(a * b, [dim])
  sizes = (torch.sum(a * a, [dim]) + 1e-12) * (torch.sum(b * b, [dim]) + 1e-12)
  cos = products / torch.sqrt(sizes)
  none = torch.zeros_like(cos)
  near = torch.where(target == 1, 1 - cos, none)
  far = torch.where(target == -1, (cos - margin).clamp_min(0), none)
  return __torch__.reduced(near + far, reduction)

# aten::triplet_margin_loss(Tensor anchor, Tensor positive, Tensor negative, float margin=1., float p=2., float eps=1e-06, bool swap=False, int reduction=1) -> Tensor
def triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, reduction):
  near = torch.pairwise_distance(anchor, positive, p, eps)
  far = torch.pairwise_distance(anchor, negative, p, eps)
  if swap:
    far = torch.minimum(far, torch.pairwise_distance(positive, negative, p, eps))
  return __torch__.reduced((near - far + margin).clamp_min(0), reduction)

# aten::multi_margin_loss(Tensor self, Tensor target, Scalar p=1, Scalar margin=1, Tensor? weight=None, int reduction=1) -> Tensor
def multi_margin_loss(self, target, p, margin, weight, reduction):
  x = self.reshape([-1, self.size(-1)])
  index = target.reshape([-1, 1])
  classes = x.size(1)
  right = torch.gather(x, 1, index)
  loss = (margin - right + x).clamp_min(0)
  if p == 2:
    loss = loss * loss
  if weight is not None:
    loss = loss * weight.take(index)
  loss = torch.sum(loss.scatter(1, index, 0), [1]) / classes
  if self.dim() < 2 and reduction == 0:
    loss = loss.reshape([])
  return __torch__.reduced(loss, reduction)

# aten::multilabel_margin_loss(Tensor self, Tensor target, int reduction=1) -> Tensor
def multilabel_margin_loss(self, target, reduction):
  x = torch.atleast_2d(self)
  labels = torch.atleast_2d(target)
  rows = []
  for at in range(x.size(0)):
    own = x[at]
    is_label = torch.zeros_like(own, dtype=torch.bool)
    chosen = []
    going = True
    for place in range(labels.size(1)):
      label = int(labels[at][place])
      going = going and label >= 0
      if going:
        chosen.append(label)
        is_label[label].fill_(True)
    sum = torch.zeros([], dtype=own.dtype)
    for place in range(len(chosen)):
      sum = sum + torch.sum((1 - own[chosen[place]] + own).clamp_min(0).masked_fill(is_label, 0))
    rows.append(sum / own.numel())
  loss = torch.stack(rows)
  if self.dim() < 2:
    loss = loss.reshape([])
  return __torch__.reduced(loss, reduction)

def weighted_logits(x, y, weight, pos_weight, reduction):
  factor = (pos_weight - 1) * y + 1
  loss = (1 - y) * x + factor * (torch.log1p(torch.exp(torch.neg(torch.abs(x)))) + torch.neg(x).clamp_min(0))
  if weight is not None:
    loss = loss * weight
  return __torch__.reduced(loss, reduction)
