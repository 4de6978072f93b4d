"""The paper's competitors that train a network."""
