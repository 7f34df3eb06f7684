//! The examples for users, compiled and run as their comments say.
