-- The place that a buried row was given. A number is never given out again, though it has no row.
ALTER TABLE dead_letters ADD COLUMN room_id text, ADD COLUMN seq bigint;
CREATE INDEX dead_letters_by_place ON dead_letters (room_id, seq) WHERE room_id IS NOT NULL;
