import { useEffect, useState } from "preact/hooks"
import { errorText } from "../kubernetes/meta/text/errorText.ts"
import type { FunctionComponent } from "preact"
import type { lazyViews } from "./lazyViews.ts"

type LazyViews = typeof lazyViews

type LoadedViews = { readonly views: LazyViews } | { readonly problem: unknown }

let lastLoaded: LoadedViews | undefined

/** Called once the page is drawn: the server may end before a view is first needed. */
export const loadViews = (): Promise<LoadedViews> =>
  import("./lazyViews.ts").then(
    (it) => (lastLoaded = { views: it.lazyViews }),
    (problem: unknown) => ({ problem })
  )

export const lazyView =
  <Props extends object>(pick: (views: LazyViews) => FunctionComponent<Props>): FunctionComponent<Props> =>
  (props) => {
    const [loaded, setLoaded] = useState(lastLoaded)
    useEffect(() => {
      if (loaded === undefined) void loadViews().then(setLoaded)
    }, [loaded])
    if (loaded === undefined) return null
    if ("problem" in loaded) {
      return (
        <p class="notice" role="alert">
          A part of the page was not loaded: {errorText(loaded.problem)}{" "}
          <button type="button" onClick={() => setLoaded(undefined)}>
            try again
          </button>
        </p>
      )
    }
    const View = pick(loaded.views)
    return <View {...props} />
  }
