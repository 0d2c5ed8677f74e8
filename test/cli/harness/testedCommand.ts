import { isBuilt } from "../../../scripts/built.ts"
import { projectPath } from "../../projectPath.ts"

/**
 * The command under test: the packed one if it was built from the present sources, since it starts five times as fast
 * as the sources themselves.
 */
export const command = projectPath(isBuilt() ? "dist/src/packed/command/start.js" : "src/cli/main.ts")
