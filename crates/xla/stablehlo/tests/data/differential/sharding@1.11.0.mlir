module {
sdy.mesh @mesh = <["x"=2]>
func.func @p0(%a: tensor<4xi2> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
%0 = "stablehlo.convert"(%a) : (tensor<4xi2>) -> tensor<4xi8>
return
}
}
