#!/usr/bin/env node
import * as nodeModule from "node:module"

/**
 * A quarter of Node's young generation saves 50 MB for 10,000 Pods and is hardly slower (table in
 * src/server/README.md). Node reads this flag only at its start.
 */
const youngGenerationFlag = "--max-semi-space-size=4"
const [node = "", ...scriptAndArguments] = process.argv
const oldestNodeVersion = [22, 19] as const
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)

if (major < oldestNodeVersion[0] || (major === oldestNodeVersion[0] && minor < oldestNodeVersion[1])) {
  // Older versions of Node cannot parse the imported modules.
  process.stderr.write(
    `error: charthouse needs Node ${oldestNodeVersion.join(".")} or later, and this is ${process.version}\n`
  )
  process.exitCode = 2
} else {
  if (scriptAndArguments[1] === "up" && !process.execArgv.includes(youngGenerationFlag)) {
    try {
      process.execve?.(
        node,
        [node, ...process.execArgv, youngGenerationFlag, ...scriptAndArguments],
        process.env
      )
    } catch {
      // Windows goes on without the flag.
    }
  }
  // Saves a quarter of the start-up time.
  nodeModule.enableCompileCache()
  await import("./main.ts")
}
