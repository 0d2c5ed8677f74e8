import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

export interface PageParts {
  readonly script: string
  readonly style: string
  readonly charts: ReadonlyArray<{ readonly name: string; readonly svg: string }>
}

/** Reads the built page from the folder of the build; undefined if a part of it is missing. */
export const readPageParts = (buildFolder: string): PageParts | undefined => {
  const [script, style, charts] = [
    join(buildFolder, "page/page.js"),
    join(buildFolder, "page/page.css"),
    join(buildFolder, "charts")
  ]
  if (![script, style, charts].every((path) => existsSync(path))) return undefined
  const ending = ".svg"
  const names = readdirSync(charts).filter((name) => name.endsWith(ending))
  return {
    script: readFileSync(script, "utf8"),
    style: readFileSync(style, "utf8"),
    charts: names.sort().map((name) => ({
      name: name.slice(0, -ending.length),
      svg: readFileSync(join(charts, name), "utf8")
    }))
  }
}
