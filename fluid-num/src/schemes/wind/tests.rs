//! Wind against what is known exactly.
