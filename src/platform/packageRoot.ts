import { existsSync } from "node:fs"
import { dirname, join } from "node:path"

/** The nearest parent with a package.json, in the sources and in `dist`. */
export const packageRoot = (): string => {
  let folder = import.meta.dirname
  while (!existsSync(join(folder, "package.json")) && dirname(folder) !== folder) folder = dirname(folder)
  return folder
}
