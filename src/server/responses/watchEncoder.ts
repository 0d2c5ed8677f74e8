import { encodeWatchLine } from "../http/encodeJson.ts"
import { toPartialMetadata, toTable } from "../tables/objectTable.ts"
import { toServedKind } from "../conversion/kindConversion.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { ResponseOptions } from "./responseText.ts"

export interface WatchEncoder {
  readonly line: (type: WatchType, object: KubeObject) => Buffer | string
  readonly bookmark: (object: KubeObject) => string
}

type WatchType = "ADDED" | "MODIFIED" | "DELETED"

const lineOf = (type: string, object: unknown): string => `${JSON.stringify({ type, object })}\n`

/** Only the first line of a table watch has column definitions. */
export const makeWatchEncoder = ({ format, kind, query, nowMillis }: ResponseOptions): WatchEncoder => {
  const { form, version } = format
  if (form === "plain") {
    return {
      line: (type, object) => encodeWatchLine(type, toServedKind(kind, object)),
      bookmark: (object) => lineOf("BOOKMARK", object)
    }
  }
  if (form !== "table") {
    const line = (type: string, object: KubeObject): string =>
      lineOf(type, toPartialMetadata(object, version))
    return { line, bookmark: (object) => line("BOOKMARK", object) }
  }
  let hasSentColumns = false
  const tableLine = (type: string, object: KubeObject): string => {
    const { resourceVersion } = object.metadata
    const metadata = { resourceVersion }
    const table = toTable([object], {
      kind,
      nowMillis: nowMillis(),
      query,
      version,
      metadata,
      isContinued: hasSentColumns
    })
    hasSentColumns = true
    return lineOf(type, table)
  }
  return {
    line: tableLine,
    bookmark: ({ metadata }) =>
      lineOf("BOOKMARK", {
        kind: "Table",
        apiVersion: `meta.k8s.io/${version}`,
        metadata: { resourceVersion: metadata.resourceVersion },
        columnDefinitions: null,
        rows: [
          {
            cells: [],
            object: { kind: "PartialObjectMetadata", apiVersion: `meta.k8s.io/${version}`, metadata }
          }
        ]
      })
  }
}
