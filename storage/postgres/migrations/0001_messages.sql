-- What was said: one row per message and place.
CREATE TABLE messages (
  room_id      text        NOT NULL,
  seq          bigint      NOT NULL CHECK (seq > 0),
  id           uuid        NOT NULL,
  sender       text        NOT NULL,
  cid          text        NOT NULL,
  kind         smallint    NOT NULL CHECK (kind IN (1, 2)),
  body         text        NOT NULL,
  hash         bigint      NOT NULL,  -- of (kind, body); tells two texts under one id apart
  sent_at      timestamptz NOT NULL,  -- the clock of the node that took it: for display only
  stored_at    timestamptz NOT NULL DEFAULT now(),
  partition    integer,               -- where it lay in the log, when that is known
  kafka_offset bigint,
  PRIMARY KEY (room_id, seq)
);
-- Not unique: after a loss of Redis a message may get a second place.
CREATE INDEX messages_by_id ON messages (id);

-- Each time Redis lost its memory, or was found for the first time, gets a number.
CREATE TABLE generations (
  n      bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run_id text        NOT NULL,
  at     timestamptz NOT NULL DEFAULT now()
);

-- One row: the highest generation that warmed a room. Rows of another one are not inserted.
CREATE TABLE current_generation (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  n        bigint  NOT NULL
);
INSERT INTO current_generation (n) VALUES (0);

-- What could not be stored, with its bytes, for an operator to look at.
CREATE TABLE dead_letters (
  id           bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at           timestamptz NOT NULL DEFAULT now(),
  topic        text        NOT NULL,
  partition    integer,
  kafka_offset bigint,
  error        text        NOT NULL,
  raw          bytea       NOT NULL
);
-- A letter that is written again stays one. The bytes are part of it, because offsets begin anew
-- when a topic is made anew.
CREATE UNIQUE INDEX dead_letters_once ON dead_letters
  (topic, coalesce(partition, -1), coalesce(kafka_offset, -1), md5(raw));
