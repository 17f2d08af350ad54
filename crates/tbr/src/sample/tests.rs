//! Laws of the recipes.

use super::*;
