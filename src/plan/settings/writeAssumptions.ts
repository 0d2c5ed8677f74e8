import {
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  parseDocument,
  Scalar,
  visit,
  YAMLMap,
  YAMLSeq
} from "yaml"
import { behaviourApiVersion } from "../../behaviours/behaviour.ts"
import { compileGlob } from "../../behaviours/matchBehaviours.ts"
import { spanText } from "../live/measuredPods.ts"
import type { Document } from "yaml"
import type { MeasuredImage } from "../live/measuredImages.ts"

const emptySettings = `apiVersion: ${behaviourApiVersion}\nkind: PlanSettings\nspec: {}\n`

/** Replaces only measured times and keeps comments. `text` is a valid settings file, or undefined for a new one. */
export const writeAssumptions = (
  text: string = emptySettings,
  images: ReadonlyArray<MeasuredImage>
): string => {
  // Without types, each text is written as it was read.
  const document = parseDocument(text, { schema: "failsafe", keepSourceTokens: false })
  const spec = document.get("spec")
  if (!isMap(spec)) return text
  if (spec.items.length === 0) spec.flow = false
  const assumptions = assumptionsIn(document, spec)
  for (const image of images) writeImage(assumptions, image)
  keepPadding(document, text)
  // Lists are indented below their field, unless the file has one that is not.
  return document.toString({ lineWidth: 0, indentSeq: !/^( *)\S.*:(?: *#.*)?\n\1- /m.test(text) })
}

/** An option of YAML's `get`, which returns a scalar's value by default. */
const keepsNode = true

const assumptionsIn = (document: Document, spec: YAMLMap): YAMLSeq => {
  const value = spec.get("assumptions", keepsNode)
  const assumptions = isAlias(value) ? value.resolve(document) : value
  if (isSeq(assumptions)) {
    if (assumptions.items.length === 0) assumptions.flow = false
    return assumptions
  }
  const newAssumptions = new YAMLSeq()
  spec.set("assumptions", newAssumptions)
  return newAssumptions
}

/** The first match holds, so a new entry comes before others that match its images. */
const writeImage = (assumptions: YAMLSeq, image: MeasuredImage): void => {
  const entries = assumptions.items.filter(isMap)
  const entryForGlob = entries.find((entry) => entry.get("image") === image.glob)
  if (entryForGlob !== undefined) {
    writeTimes(entryForGlob, image)
    return
  }
  const matchesImage = (entry: unknown): boolean =>
    isMap(entry) && image.images.some(compileGlob(String(entry.get("image"))))
  const index = assumptions.items.findIndex(matchesImage)
  const entry = new YAMLMap()
  const globText = new Scalar(image.glob)
  globText.type = Scalar.QUOTE_DOUBLE
  entry.set("image", globText)
  writeTimes(entry, image)
  entry.flow = true
  assumptions.items.splice(index === -1 ? assumptions.items.length : index, 0, entry)
}

/** A pull that `start` includes takes no time of its own. */
const writeTimes = (entry: YAMLMap, { pull, start, includesPull, ready, podCount }: MeasuredImage): void => {
  const times = { pull: includesPull ? { leastMillis: 0, mostMillis: 0 } : pull, start, ready }
  for (const [field, span] of Object.entries(times))
    if (span !== undefined) setText(entry, field, spanText(span))
  setText(entry, "observations", String(podCount))
}

const setText = (entry: YAMLMap, field: string, text: string): void => {
  const value = entry.get(field, keepsNode)
  if (isScalar(value)) value.value = text
  else entry.set(field, new Scalar(text))
}

const keepPadding = (document: Document, text: string): void =>
  visit(document, (_key, node) => {
    if (!isCollection(node) || node.flow !== true) return
    const [start] = node.range ?? []
    const isPadded = start === undefined || /^.\s/.test(text.slice(start, start + 2))
    const flowCollectionPadding = isPadded ? " " : ""
    const write = node.toString.bind(node) as (context: object, ...rest: ReadonlyArray<unknown>) => string
    node.toString = (context?: object, ...rest: ReadonlyArray<unknown>) =>
      write({ ...context, flowCollectionPadding }, ...rest)
  })
