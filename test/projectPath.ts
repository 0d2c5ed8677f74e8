import { join, resolve } from "node:path"

const root = resolve(import.meta.dirname, "..")

/** The absolute path of a file or folder of the project, by its path from the top. */
export const projectPath = (path = ""): string => join(root, path)
