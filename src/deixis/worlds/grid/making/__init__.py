"""Making grid datasets: recipes, pools, shards and the files they end in."""
