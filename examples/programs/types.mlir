// One value of each of many types through, and a few turned into others.
func.func @main(%half: tensor<4xbf16>, %eight: tensor<4xf8E4M3FN>, %four: tensor<4xi4>,
                %pair: tensor<2xcomplex<f32>>, %flag: tensor<i1>, %wide: tensor<2x2xui64>)
    -> (tensor<4xbf16>, tensor<4xf8E4M3FN>, tensor<4xi4>, tensor<2xf32>, tensor<i1>, tensor<2x2xui64>) {
  %sum = stablehlo.add %half, %half : tensor<4xbf16>
  %negative = stablehlo.negate %four : tensor<4xi4>
  %real = stablehlo.real %pair : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %not = stablehlo.not %flag : tensor<i1>
  return %sum, %eight, %negative, %real, %not, %wide
    : tensor<4xbf16>, tensor<4xf8E4M3FN>, tensor<4xi4>, tensor<2xf32>, tensor<i1>, tensor<2x2xui64>
}
