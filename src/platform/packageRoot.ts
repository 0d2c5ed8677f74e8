import { existsSync } from "node:fs"
import { dirname, join } from "node:path"

/** The nearest parent folder with a package.json: this file runs from the sources and from `dist`. */
export const packageRoot = (): string => {
  let folder = import.meta.dirname
  while (!existsSync(join(folder, "package.json")) && dirname(folder) !== folder) folder = dirname(folder)
  return folder
}
