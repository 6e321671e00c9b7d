-- What the preparation of a plan found out and the plan goes on to show: what leaves the machine, what was left out.
ALTER TABLE plans ADD COLUMN facts TEXT;
