"""People who sign in with a provider of identities: who they are, and what they may do."""
