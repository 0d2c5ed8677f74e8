// Loaded into the command before it starts: ends the process with SIGKILL at a named place in the way of a write to disk.
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { DatabaseSync, StatementSync } from "node:sqlite"

const [point, count] = (process.env.CHARTHOUSE_KILL_AT ?? "none:0").split(":")
let left = Number(count)
const reach = (reached) => {
  if (reached === point && (left -= 1) === 0) process.kill(process.pid, "SIGKILL")
}

const { run } = StatementSync.prototype
StatementSync.prototype.run = function (...values) {
  const isCommit = this.sourceSQL === "COMMIT"
  if (isCommit) reach("before commit")
  const result = run.apply(this, values)
  if (isCommit) reach("after commit")
  if (this.sourceSQL.startsWith("BEGIN")) reach("after begin")
  if (this.sourceSQL.startsWith("INSERT INTO changes")) reach("after insert")
  return result
}
const { exec } = DatabaseSync.prototype
DatabaseSync.prototype.exec = function (sql) {
  if (sql.includes("CREATE TABLE")) reach("before the tables")
  const result = exec.call(this, sql)
  if (sql.includes("CREATE TABLE")) reach("after the tables")
  return result
}
const { writeSync } = fs
fs.writeSync = (...args) => {
  const result = writeSync(...args)
  // Of the file with the last version alone, which is written in place.
  if (args[4] === 0) reach("after the last version")
  return result
}
syncBuiltinESMExports()
