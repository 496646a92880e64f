"""What people read: rows of the reading commands, the page, its charts and the item explorer."""
