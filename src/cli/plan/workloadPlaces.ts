import { existsSync } from "node:fs"
import { dirname, join, relative, resolve, sep } from "node:path"
import { workloadIdOf, workloadsAmong } from "../../plan/workloads.ts"
import { isUrl } from "../input/textFiles.ts"
import { renderedSourceFile } from "../input/renderedManifests.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"
import type { PlanReport } from "../../reports/plan/planReport.ts"

/** Finds the fields of workloads; file names start at the top of the repository. */
export const workloadPlaces = (documents: ReadonlyArray<ManifestDocument>): PlanReport["placeOf"] => {
  const documentsById = new Map(
    documents.flatMap((document) => workloadsAmong([document]).map(({ id }) => [id, document] as const))
  )
  const top = repositoryTop(process.cwd())
  return (workload, path) => {
    const document = documentsById.get(workloadIdOf(workload))
    if (document === undefined) return undefined
    if (isUrl(document.file)) return { file: document.file, ...positionIn(document, path) }
    const rendered = renderedSourceFile(document.file)
    // Lines of a rendered manifest are not lines of its source.
    if (rendered !== undefined) return { file: fromTop(rendered, top), line: 1, column: 1 }
    return existsSync(document.file)
      ? { file: fromTop(document.file, top), ...positionIn(document, path) }
      : undefined
  }
}

/** Reports count lines from 1; a document without a source text has line 0. */
const positionIn = (document: ManifestDocument, path: Parameters<ManifestDocument["placeOf"]>[0]) => {
  const { line, column } = document.placeOf(path)
  return { line: Math.max(1, line), column: Math.max(1, column) }
}

/** CI names files by their paths in this folder. */
const repositoryTop = (folder: string): string => {
  for (let top = folder; ; top = dirname(top)) {
    if (existsSync(join(top, ".git"))) return top
    if (dirname(top) === top) return folder
  }
}

const fromTop = (file: string, top: string): string => {
  const path = relative(top, resolve(file))
  return (path.startsWith("..") ? resolve(file) : path).split(sep).join("/")
}
