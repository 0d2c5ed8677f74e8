import { fieldsOrEmpty, textOrEmpty } from "../kubernetes/meta/fields.ts"
import type { KubeObject } from "../kubernetes/meta/objects.ts"
import type { ObjectList } from "../store/objectStore.ts"
import type { ServedResource } from "./resourceDiscovery.ts"

/** The page size of client-go's pager. */
const pageLength = 500

/**
 * Reads page by page, so that no answer is too long. `query` makes the URL's query part and leaves out empty
 * parameters.
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
