import { existsSync } from "node:fs"
import { dirname, join, relative, resolve, sep } from "node:path"
import { objectTitle } from "../../reports/plan/planReport.ts"
import { workloadIdOf, workloadsAmong } from "../../plan/workloads.ts"
import { isUrl } from "../input/textFiles.ts"
import { renderedSourceFile } from "../input/renderedManifests.ts"
import type { ManifestDocument, SourceLocation } from "../../manifests/manifestDocument.ts"
import type { RefusedObject } from "../../manifests/refusedObjects.ts"
import type { FieldPlace, PlanReport, ReportedRefusal } from "../../reports/plan/planReport.ts"

/** Finds the fields of workloads; file names start at the top of the repository. */
export const workloadPlaces = (documents: ReadonlyArray<ManifestDocument>): PlanReport["placeOf"] => {
  const documentsById = new Map(
    documents.flatMap((document) => workloadsAmong([document]).map(({ id }) => [id, document] as const))
  )
  const top = repositoryTop(process.cwd())
  return (workload, path) => {
    const document = documentsById.get(workloadIdOf(workload))
    return document === undefined ? undefined : placeAt({ ...document, ...document.placeOf(path) }, top)
  }
}

export const reportedRefusals = (refused: ReadonlyArray<RefusedObject>): ReadonlyArray<ReportedRefusal> => {
  const top = repositoryTop(process.cwd())
  return refused.map(({ verdict, kind, namespace, name, problem }) => {
    const place = placeAt(problem, top)
    return {
      verdict,
      title:
        kind === undefined || name === undefined
          ? `document ${problem.document} of ${place?.file ?? problem.file}`
          : objectTitle({ kind, namespace, name }),
      kind,
      namespace,
      name,
      // Several causes have a line each.
      message: problem.message.replace(": \n* ", ": ").replaceAll("\n* ", "; "),
      place
    }
  })
}

const placeAt = ({ file, ...position }: SourceLocation, top: string): FieldPlace | undefined => {
  // Reports count lines from 1; a document without a source text has line 0.
  const [line, column] = [Math.max(1, position.line), Math.max(1, position.column)]
  if (isUrl(file)) return { file, line, column }
  const rendered = renderedSourceFile(file)
  // Lines of a rendered manifest are not lines of its source.
  if (rendered !== undefined) return { file: fromTop(rendered, top), line: 1, column: 1 }
  return existsSync(file) ? { file: fromTop(file, top), line, column } : undefined
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
