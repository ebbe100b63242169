module {
func.func @p0(%a: tensor<4x3xbf16>, %i: tensor<bf16>) {
%0 = "stablehlo.reduce"(%a, %i) ({
^bb0(%x: tensor<bf16>, %y: tensor<bf16>):
 %s = "stablehlo.add"(%x, %y) : (tensor<bf16>, tensor<bf16>) -> tensor<bf16>
 "stablehlo.return"(%s) : (tensor<bf16>) -> ()
}) {dimensions = array<i64: 0>} : (tensor<4x3xbf16>, tensor<bf16>) -> tensor<3xbf16>
return
}
}
