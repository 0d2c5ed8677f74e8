import { resolve } from "node:path"
import { isBuilt } from "../../scripts/built.ts"

const root = resolve(import.meta.dirname, "../..")

/**
 * The command that is tested. The packed one starts five times as fast as the sources, and is taken where it has been
 * built of just these.
 */
export const command = resolve(root, isBuilt() ? "dist/src/packed/command/start.js" : "src/cli/main.ts")
