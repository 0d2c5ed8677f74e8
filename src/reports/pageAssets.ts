import { embeddedPage } from "../generated/embeddedPage.ts"
import { readEmbeddedFile, type LoadEmbeddedFile } from "../platform/embeddedFile.ts"

/** The page of `charthouse up`. */
export interface PageAssets {
  readonly script: string
  readonly style: string
  readonly charts: ReadonlyArray<{ readonly name: string; readonly svg: string }>
}

export const loadPageAssets = async (): Promise<PageAssets> => {
  const { script, style, charts } = embeddedPage
  const drawings = Object.entries(charts).sort(([one], [other]) => (one < other ? -1 : 1))
  return {
    script: await textOf(script),
    style: await textOf(style),
    charts: await Promise.all(drawings.map(async ([name, load]) => ({ name, svg: await textOf(load) })))
  }
}

const textOf = async (load: LoadEmbeddedFile): Promise<string> =>
  (await readEmbeddedFile(load)).plain.toString()
