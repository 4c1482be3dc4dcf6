-- Rooms that only their members may enter.
CREATE TABLE rooms (
  room_id    text        PRIMARY KEY,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE room_members (
  room_id text        NOT NULL REFERENCES rooms ON DELETE CASCADE,
  user_id text        COLLATE "C" NOT NULL,  -- listed in the order of bytes
  since   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (room_id, user_id)
);

-- Tokens of a user that were issued before this time are void.
CREATE TABLE revocations (
  user_id text        PRIMARY KEY,
  before  timestamptz NOT NULL
);
CREATE INDEX revocations_by_time ON revocations (before);
