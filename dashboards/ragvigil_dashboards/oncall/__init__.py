"""The on-call app: pages are layout, what they show is computed in `ragvigil_dashboards.figures`."""
