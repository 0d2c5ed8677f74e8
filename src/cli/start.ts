#!/usr/bin/env node
import * as nodeModule from "node:module"

/**
 * A server stays, so it is to be small: with a quarter of the young generation a cluster of 10,000 Pods takes 100 MB
 * less, and hardly longer. Node takes this setting at its start alone.
 */
const youngGeneration = "--max-semi-space-size=4"
const [node = "", ...words] = process.argv
const oldest = [22, 19] as const
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)

if (major < oldest[0] || (major === oldest[0] && minor < oldest[1])) {
  // What comes next is read only by those who understand it.
  process.stderr.write(
    `error: charthouse needs Node ${oldest.join(".")} or later, and this is ${process.version}\n`
  )
  process.exitCode = 2
} else {
  if (words[1] === "up" && !process.execArgv.includes(youngGeneration)) {
    // Where one process can take another's place; elsewhere, as on Windows, it goes without.
    process.execve?.(node, [node, ...process.execArgv, youngGeneration, ...words], process.env)
  }
  // What Node has compiled once it need not compile again: that is a quarter off every start.
  nodeModule.enableCompileCache()
  await import("./main.ts")
}
