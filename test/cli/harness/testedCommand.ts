import { globSync } from "node:fs"
import { isBuilt } from "../../../scripts/built.ts"
import { projectPath } from "../../projectPath.ts"

const built = isBuilt()

/**
 * The command under test: the packed one if it was built from the present sources, since it starts five times as fast
 * as the sources themselves.
 */
export const command = projectPath(built ? "dist/src/packed/command/start.js" : "src/cli/main.ts")

/** The module that runs the command line when it is imported. */
export const mainModule = built
  ? globSync(projectPath("dist/src/packed/command/main-*.js")).join()
  : projectPath("src/cli/main.ts")

/** Timeout of one command: shorter than that of a test, so that the failure names the command. */
export const commandMillisMax = 100_000
