//! Parameters of a packed convolution, as the numbers that its state keeps.

/// The numbers of a packed convolution, one for each dimension of space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConvolutionParameters {
    /// How far the kernel goes from one element of the output to the next.
    pub stride: Vec<i64>,
    /// How many zeros stand before and behind the input.
    pub padding: Vec<i64>,
    /// How far the elements of the kernel are apart.
    pub dilation: Vec<i64>,
    /// What is added to the size of the output of a transposed convolution.
    pub output_padding: Vec<i64>,
    /// How many groups the channels are in.
    pub groups: i64,
    /// Whether it is a transposed convolution.
    pub transposed: bool,
}

impl ConvolutionParameters {
    /// By the numbers of the forms 2 and 3: the rank, four runs of as many numbers, the groups, and 1 if it is transposed.
    ///
    /// ```
    /// use unskew_torch::prepacked_weights::ConvolutionParameters;
    ///
    /// let numbers = [2, 1, 2, 0, 1, 1, 1, 0, 0, 4, 0];
    /// let moves = ConvolutionParameters::of_numbers(&numbers).unwrap();
    /// assert_eq!((moves.stride.as_slice(), moves.padding.as_slice(), moves.groups), (&[1, 2][..], &[0, 1][..], 4));
    /// assert_eq!(moves.numbers(), numbers);
    /// assert_eq!(ConvolutionParameters::of_numbers(&numbers[..7]), None);
    /// ```
    pub fn of_numbers(numbers: &[i64]) -> Option<Self> {
        let (rank, rest) = numbers.split_first()?;
        let rank = usize::try_from(*rank).ok().filter(|rank| (1..=3).contains(rank))?;
        let [all @ .., groups, transposed] = rest else { return None };
        let mut runs = all.chunks_exact(rank).map(<[i64]>::to_vec);
        if all.len() != 4 * rank || !matches!(transposed, 0 | 1) {
            return None;
        }
        Some(Self {
            stride: runs.next()?,
            padding: runs.next()?,
            dilation: runs.next()?,
            output_padding: runs.next()?,
            groups: *groups,
            transposed: *transposed == 1,
        })
    }

    /// The numbers of the forms 2 and 3.
    pub fn numbers(&self) -> Vec<i64> {
        let runs = [&self.stride, &self.padding, &self.dilation, &self.output_padding];
        let rank = self.stride.len() as i64;
        let ends = [self.groups, i64::from(self.transposed)];
        [rank].into_iter().chain(runs.into_iter().flatten().copied()).chain(ends).collect()
    }
}
