// Loaded before a command: tells the processor's time of all its threads when it ends.
import { isMainThread } from "node:worker_threads"

if (isMainThread)
  process.on("exit", () => {
    const { user, system } = process.cpuUsage()
    process.stderr.write(`\ncpuMillis ${(user + system) / 1000}\n`)
  })
