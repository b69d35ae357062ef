//! A home in which tools go on working: what a tool finds, changes or misses under the home of the profile `builder`, held
//! against what it does in the real home.

mod claude;
mod dotenv;
mod git;
mod gpg;
mod home;
mod links;
mod mise;
mod said;
mod settings;
