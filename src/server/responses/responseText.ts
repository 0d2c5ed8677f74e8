import { stringify } from "yaml"
import { apiVersionOf } from "../../kubernetes/meta/kinds.ts"
import { encodeList, encodeObject } from "../http/encodeJson.ts"
import { toPartialMetadata, toTable } from "../tables/objectTable.ts"
import { toServedKind } from "../conversion/kindConversion.ts"
import type { Kind } from "../../kubernetes/meta/kinds.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { ResponseFormat } from "../http/negotiateFormat.ts"
import type { ListAnswer, ObjectAnswer, StatusAnswer } from "../requests/apiCall.ts"
import type { QueryParameters } from "../http/queryParameters.ts"

export interface ResponseOptions {
  readonly format: ResponseFormat
  readonly query: QueryParameters
  readonly kind: Kind
  /** Called only for the ages in a table: reading the cluster's time first runs due timers. */
  readonly nowMillis: () => number
  readonly pretty: boolean
}

export const responseBody = (
  answer: ObjectAnswer | ListAnswer | StatusAnswer,
  options: ResponseOptions
): string | Buffer | Promise<string | Buffer> => {
  const json = jsonOf(answer, options)
  return json instanceof Promise ? json.then((listed) => inFormat(listed, options)) : inFormat(json, options)
}

const inFormat = (json: string | Buffer, { format, pretty }: ResponseOptions): string | Buffer => {
  const parse = (): unknown => JSON.parse(json.toString())
  if (format.yaml) return stringify(parse())
  return pretty ? `${JSON.stringify(parse(), undefined, 2)}\n` : json
}

const jsonOf = (
  answer: ObjectAnswer | ListAnswer | StatusAnswer,
  options: ResponseOptions
): string | Buffer | Promise<Buffer> => {
  switch (answer.type) {
    case "status":
      return `${JSON.stringify(answer.status)}\n`
    case "object":
      return `${objectJson(answer.object, options)}\n`
    case "list":
      return listJson(answer, options)
  }
}

const objectJson = (stored: KubeObject, { format, query, kind, nowMillis }: ResponseOptions): string => {
  // The columns of a table read the stored version.
  const unconverted = withoutEmptyResourceVersion(stored)
  const object = toServedKind(kind, unconverted)
  switch (format.form) {
    case "table": {
      const { resourceVersion } = object.metadata
      return JSON.stringify(
        toTable([unconverted], {
          kind,
          nowMillis: nowMillis(),
          query,
          version: format.version,
          metadata: { resourceVersion }
        })
      )
    }
    case "metadata":
    case "metadataList":
      return JSON.stringify(toPartialMetadata(object, format.version))
    case "plain":
      return encodeObject(object)
  }
}

/** A dry run's object has no resource version. */
const withoutEmptyResourceVersion = (object: KubeObject): KubeObject => {
  if (object.metadata.resourceVersion !== "") return object
  const { resourceVersion: _empty, ...metadata } = object.metadata
  return { ...object, metadata } as KubeObject
}

const listJson = (
  { kind, page }: ListAnswer,
  { format, query, nowMillis }: ResponseOptions
): string | Buffer | Promise<Buffer> => {
  const metadata = {
    ...(page.resourceVersion === "" ? {} : { resourceVersion: page.resourceVersion }),
    ...(page.continue === undefined ? {} : { continue: page.continue }),
    ...(page.remainingItemCount === undefined ? {} : { remainingItemCount: page.remainingItemCount })
  }
  switch (format.form) {
    case "table":
      return `${JSON.stringify(
        toTable(page.items, { kind, nowMillis: nowMillis(), query, version: format.version, metadata })
      )}\n`
    case "metadata":
    case "metadataList":
      return `${JSON.stringify({
        kind: "PartialObjectMetadataList",
        apiVersion: `meta.k8s.io/${format.version}`,
        metadata,
        items: page.items.map((object) => toPartialMetadata(object, format.version))
      })}\n`
    case "plain": {
      // Clients know the item type of built-in lists, but not of custom resources.
      const type = `"kind":"${kind.custom?.listKind ?? `${kind.kind}List`}","apiVersion":"${apiVersionOf(kind)}"`
      return encodeList(
        page.items.map((object) => toServedKind(kind, object)),
        {
          head: `{${type},"metadata":${JSON.stringify(metadata)},"items":[`,
          tail: "]}\n",
          isTyped: kind.custom !== undefined
        }
      )
    }
  }
}

const commonHeaders = {
  "cache-control": "no-cache, private",
  "x-content-type-options": "nosniff"
} as const

export const responseHeaders = (
  contentType: string,
  {
    warnings = [],
    extraHeaders = {}
  }: { readonly warnings?: ReadonlyArray<string>; readonly extraHeaders?: object } = {}
): Record<string, string | Array<string>> => ({
  ...commonHeaders,
  "content-type": contentType,
  ...(warnings.length === 0 ? {} : { warning: shownWarnings(warnings).map(warningHeader) }),
  ...extraHeaders
})

const warningsMax = 64
const allWarningsLengthMax = 4096
const warningLengthMax = 256

/** Only where all warnings together are too long is each of them cut. Source: endpoints/filters/warning.go. */
const shownWarnings = (warnings: ReadonlyArray<string>): ReadonlyArray<string> => {
  const first = warnings.slice(0, warningsMax)
  if (first.join("").length <= allWarningsLengthMax) return first
  let length = 0
  return first
    .map((text) => text.slice(0, warningLengthMax))
    .filter((text) => {
      length += text.length
      return length <= allWarningsLengthMax
    })
}

/** Source: RFC 7234, 5.5; apimachinery/pkg/util/net/http.go (NewWarningHeader). */
const warningHeader = (text: string): string => {
  const safe = text.replaceAll(/[^\x20-\x7e]/g, "?")
  return `299 - "${safe.replaceAll(/["\\]/g, (mark) => `\\${mark}`)}"`
}
