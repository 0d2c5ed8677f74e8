import { fieldsOrEmpty, textOrEmpty } from "../kubernetes/meta/fields.ts"
import type { KubeObject } from "../kubernetes/meta/objects.ts"
import type { ObjectList } from "../store/objectStore.ts"
import type { ServedResource } from "./resourceDiscovery.ts"

/** The page size of client-go's pager, and of kubectl. */
const pageLength = 500

/**
 * Reads a whole list, page by page, so that no answer of a large cluster is too long. `query` makes the query part of a
 * URL, which begins with `?` and leaves out empty parameters, such as `continue` of the first page.
 */
export const listInPages = async <O extends KubeObject>(
  { apiVersion, kind }: Pick<ServedResource, "apiVersion" | "kind">,
  {
    path,
    query,
    request
  }: {
    readonly path: string
    readonly query: (parameters: Readonly<Record<string, string | number>>) => string
    readonly request: (path: string) => Promise<unknown>
  }
): Promise<ObjectList<O>> => {
  const items: Array<O> = []
  let page: Page = { resourceVersion: "", continue: "" }
  do {
    const list = fieldsOrEmpty(
      await request(`${path}${query({ limit: pageLength, continue: page.continue })}`)
    )
    page = pageOf(list["metadata"])
    // List items have no kind or apiVersion.
    for (const item of (list["items"] ?? []) as ReadonlyArray<object>)
      items.push({ apiVersion, kind, ...item } as O)
  } while (page.continue !== "")
  return { items, resourceVersion: page.resourceVersion }
}

interface Page {
  readonly resourceVersion: string
  readonly continue: string
}

const pageOf = (metadata: unknown): Page => {
  const fields = fieldsOrEmpty(metadata)
  return {
    resourceVersion: textOrEmpty(fields["resourceVersion"]),
    continue: textOrEmpty(fields["continue"])
  }
}
