#!/usr/bin/env node
import { enableCompileCache } from "node:module"

// What Node has compiled once it need not compile again: that is a quarter off every start.
enableCompileCache()
await import("./main.ts")
