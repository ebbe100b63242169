//! A TorchScript archive of 50 MB: what it needs of a release, against reading every record.
//!
//! The peer is the crate `zip`. What it read would still have to be understood: the crates that read
//! pickles stop at the persistent ids that every tensor of an archive has.
//!
//! Then the code alone: all TorchScript of the biggest model of the corpus, and of a made one as big as that of a
//! detection model with its backbone, its heads and the functions of `torchvision` and `torch` that it calls.
#![allow(clippy::unwrap_used, missing_docs, reason = "a benchmark may fail")]

use std::fs::File;
use std::hint::black_box;
use std::io::{BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use unskew_large_files::{Weights, torchscript};
use unskew_source::{FileSource, Source};

fn unskew(path: &Path) -> usize {
    let source: Arc<dyn Source> = Arc::new(FileSource::open(path).unwrap());
    unskew_torch::party(&source).unwrap().unwrap().requires.len()
}

fn zip(path: &Path) -> usize {
    let mut archive = zip::ZipArchive::new(BufReader::new(File::open(path).unwrap())).unwrap();
    let mut read = 0;
    for index in 0..archive.len() {
        let mut bytes = Vec::new();
        archive.by_index(index).unwrap().read_to_end(&mut bytes).unwrap();
        read += black_box(bytes).len();
    }
    read
}

fn archive_of_50_mb(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.pt");
    torchscript::write(&path, 247, Weights::Noise).unwrap();
    assert!(zip(&path) > 50_000_000);
    let mut group = criterion.benchmark_group("archive of 50 MB");
    group.sample_size(10).measurement_time(Duration::from_secs(3));
    group.bench_function("unskew", |b| b.iter(|| unskew(black_box(&path))));
    group.bench_function("zip, every record", |b| b.iter(|| zip(black_box(&path))));
    group.finish();
}

fn code(path: &Path) -> Vec<String> {
    let mut archive = zip::ZipArchive::new(BufReader::new(File::open(path).unwrap())).unwrap();
    let mut texts = Vec::new();
    for index in 0..archive.len() {
        let mut record = archive.by_index(index).unwrap();
        if record.name().unwrap().ends_with(".py") {
            let mut text = String::new();
            record.read_to_string(&mut text).unwrap();
            texts.push(text);
        }
    }
    texts
}

/// A module as `torch.jit.save` writes one: annotations, a method, calls with their arguments, a branch, a loop.
const MODULE: &str = r#"class Block(Module):
  __parameters__ = ["weight", "bias", ]
  __buffers__ = []
  weight : Tensor
  bias : Optional[Tensor]
  training : bool
  _is_full_backward_hook : Optional[bool]
  conv : __torch__.torch.nn.modules.conv.Conv2d
  norm : __torch__.torch.nn.modules.batchnorm.BatchNorm2d
  def forward(self: __torch__.detection.Block,
    features: List[Tensor],
    sizes: List[Tuple[int, int]]) -> Tuple[List[Tensor], Dict[str, Tensor]]:
    _0 = __torch__.torchvision.ops.boxes.batched_nms
    results = annotate(List[Tensor], [])
    losses = annotate(Dict[str, Tensor], {})
    for i in range(torch.len(features)):
      feature = features[i]
      conv = self.conv
      norm = self.norm
      x = (norm).forward((conv).forward(feature, ), )
      if torch.eq(torch.size(x, 1), 256):
        x0 = torch.relu_(x)
      else:
        x0 = torch.max_pool2d(x, [2, 2], [2, 2], [0, 0], [1, 1], False)
      height, width = sizes[i]
      boxes = torch.slice(torch.reshape(x0, [-1, 4]), 0, 0, 1000, 1)
      w = torch.sub(torch.select(boxes, 1, 2), torch.select(boxes, 1, 0))
      h = torch.sub(torch.select(boxes, 1, 3), torch.select(boxes, 1, 1))
      keep = torch.__and__(torch.ge(w, 0.01), torch.ge(h, 0.01))
      boxes0 = torch.index(boxes, [torch.squeeze(torch.nonzero(keep), 1)])
      if torch.__isnot__(self.bias, None):
        ops.prim.RaiseException("Exception")
        kept = ops.prim.unchecked_cast(Tensor, self.bias)
      else:
        kept = _0(boxes0, torch.select(boxes0, 1, 0), torch.select(boxes0, 1, 1), 0.69999999999999996, )
      _1 = torch.append(results, torch.clamp(torch.index(boxes0, [kept]), 0, torch.mul(height, width)))
      torch._set_item(losses, torch.format("loss_{}", i), torch.mean(kept))
    return (results, losses)
"#;

/// So many modules have 440 kB of code.
const MODULES: usize = 250;

fn code_of_a_model(criterion: &mut Criterion) {
    let corpus = Path::new(env!("UNSKEW_ROOT")).join("corpus");
    let models = std::fs::read_dir(&corpus).unwrap().map(|entry| entry.unwrap().path());
    let models =
        models.filter(|path| path.extension().is_some_and(|end| end == "jit" || end == "pt"));
    let size = |texts: &[String]| texts.iter().map(String::len).sum::<usize>();
    let (name, real) = models
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), code(&path)))
        .max_by_key(|(_, texts)| size(texts))
        .unwrap();
    let made = vec![MODULE.to_owned(); MODULES];
    let mut group = criterion.benchmark_group("all TorchScript of a model");
    group.sample_size(20).measurement_time(Duration::from_secs(2));
    for (name, texts) in [(name.as_str(), &real), ("made", &made)] {
        let name = format!("{name}: {} texts, {} kB", texts.len(), size(texts) / 1000);
        group.bench_function(name, |b| {
            b.iter(|| {
                let read = |text: &String| unskew_script::parse(text).unwrap().body.len();
                black_box(texts).iter().map(read).sum::<usize>()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, archive_of_50_mb, code_of_a_model);
criterion_main!(benches);
