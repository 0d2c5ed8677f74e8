import { useEffect, useState } from "preact/hooks"
import { errorText } from "../kubernetes/meta/text/errorText.ts"
import type { FunctionComponent } from "preact"
import type { laterViews } from "./laterViews.ts"

type LaterViews = typeof laterViews

type LoadedViews = { readonly views: LaterViews } | { readonly problem: unknown }

let lastLoaded: LoadedViews | undefined

/** The views are loaded after the first one is drawn, in case the server ends later. */
export const loadViews = (): Promise<LoadedViews> =>
  import("./laterViews.ts").then(
    (it) => (lastLoaded = { views: it.laterViews }),
    (problem: unknown) => ({ problem })
  )

export const lazyView =
  <Props extends object>(pick: (views: LaterViews) => FunctionComponent<Props>): FunctionComponent<Props> =>
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
