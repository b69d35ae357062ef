//! A session of an agent.

crate::pages! { at_work }
